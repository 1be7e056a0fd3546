//go:build faults

package translator

import "edgelingua/translator/toy"

func init() { APIs = append(APIs, &toy.API) }
