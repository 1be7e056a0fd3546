package gemini

import (
	"strconv"
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// config reads generationConfig (Gemini API, "GenerationConfig").
func (d *requestDecoder) config(r *jsonr.Reader) *ir.Error {
	const in = "generationConfig"
	if err := google.CheckObject(r, in); err != nil {
		return err
	}
	q := d.request
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch key := r.Key(); key {
		case "maxOutputTokens", "max_output_tokens":
			if q.MaxTokens, err = google.ReadWhole(r, in+".maxOutputTokens"); err == nil && q.MaxTokens < 1 {
				err = google.Invalid(in+".maxOutputTokens", "max_output_tokens must be positive")
			}
		case "temperature":
			q.Temperature, err = google.ReadNumber(r, in+".temperature")
		case "topP", "top_p":
			q.TopP, err = google.ReadNumber(r, in+".topP")
		case "topK", "top_k":
			q.TopK, err = google.ReadNumber(r, in+".topK")
		case "presencePenalty", "presence_penalty":
			q.Presence, err = penalty(r, in+".presencePenalty")
		case "frequencyPenalty", "frequency_penalty":
			q.Frequency, err = penalty(r, in+".frequencyPenalty")
		case "seed":
			q.Seed, err = google.ReadNumber(r, in+".seed")
		case "stopSequences", "stop_sequences":
			q.Stop, err = d.Texts(r, in+".stopSequences")
		case "candidateCount", "candidate_count":
			if n, bad := google.ReadWhole(r, in+".candidateCount"); bad != nil || n > 1 {
				err = google.Invalid(in+".candidateCount", "This service returns only one candidate.")
			}
		case "responseLogprobs", "response_logprobs":
			var set bool
			if set, err = google.ReadFlag(r, in+".responseLogprobs"); set {
				q.Logprobs = in + ".responseLogprobs"
			}
		case "logprobs":
			var n int64
			if n, err = google.ReadWhole(r, in+".logprobs"); n > 0 {
				q.TopLogprobs = ir.Raw(strconv.FormatInt(n, 10))
			}
		case "responseMimeType", "response_mime_type":
			d.mime, err = google.ReadText(r, in+".responseMimeType")
			d.mime = google.Simple(d.mime)
		case "responseFormat", "response_format":
			if jsonr.Asks(r.Value()) {
				err = google.Invalid(in+".responseFormat",
					"responseFormat is not supported here: send responseMimeType and responseJsonSchema.")
			}
		case "responseSchema", "response_schema":
			if err = google.CheckObject(r, in+".responseSchema"); err == nil {
				d.schema, d.at = google.JSONSchema(r.Value()), in+".responseSchema"
			}
		case "responseJsonSchema", "response_json_schema", "_responseJsonSchema", "_response_json_schema":
			if err = google.CheckObject(r, in+".responseJsonSchema"); err == nil {
				d.schema, d.at = r.Value(), in+".responseJsonSchema"
			}
		case "responseModalities", "response_modalities":
			err = d.modalities(r, in+".responseModalities")
		case "thinkingConfig", "thinking_config":
			err = d.thinking(r, in+".thinkingConfig")
		case "mediaResolution", "media_resolution":
			d.own(in+".mediaResolution", r)
		case "speechConfig", "speech_config":
			d.own(in+".speechConfig", r)
		case "audioTimestamp", "audio_timestamp":
			d.own(in+".audioTimestamp", r)
		default:
			d.lost.AddMember(in, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// penalty reads a number at a path. For 0, the default, it returns "".
func penalty(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	v, err := google.ReadNumber(r, path)
	if strings.Trim(string(v), "-0.") == "" {
		v = ""
	}
	return v, err
}

// modalities refuses answers other than text.
func (d *requestDecoder) modalities(r *jsonr.Reader, path string) *ir.Error {
	if _, err := d.List(r, path); err != nil {
		return err
	}
	for r.OpenArray(); r.Element(); {
		_, err := google.ReadEnum(r, path, "MODALITY_UNSPECIFIED TEXT", "only TEXT is supported here.")
		if err != nil {
			return err
		}
	}
	return nil
}

// thinking reads thinkingConfig (Gemini API, "ThinkingConfig"). A budget of 0 turns thinking off,
// and -1 leaves the budget to the model. The client sees thoughts only on request.
func (d *requestDecoder) thinking(r *jsonr.Reader, path string) *ir.Error {
	if err := google.CheckObject(r, path); err != nil {
		return err
	}
	q := d.request
	q.HideThoughts, q.Effort, q.EffortPath, q.Budget, q.Adaptive = true, "", "", 0, false
	q.ReasoningSummary = ""
	shows := false
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "includeThoughts", "include_thoughts":
			shows, err = google.ReadFlag(r, path+".includeThoughts")
		case "thinkingBudget", "thinking_budget":
			var n int64
			if n, err = google.ReadWhole(r, path+".thinkingBudget"); err == nil {
				err = d.budget(n, path+".thinkingBudget")
			}
		case "thinkingLevel", "thinking_level":
			var level ir.Escaped
			level, err = google.ReadText(r, path+".thinkingLevel")
			if level = ir.Escaped(strings.ToLower(string(level))); err == nil &&
				level != "thinking_level_unspecified" {
				q.Effort, q.EffortPath = level, path+".thinkingLevel"
			}
		default:
			d.lost.AddMember(path, r)
		}
		if err != nil {
			return err
		}
	}
	if q.HideThoughts = !shows; shows && q.Effort == "" {
		q.Adaptive = true
	}
	if shows && q.Effort != "none" {
		q.ReasoningSummary = "auto"
	}
	return nil
}

// budget reads a number of thinking tokens.
func (d *requestDecoder) budget(n int64, path string) *ir.Error {
	q := d.request
	switch {
	case n == -1:
		q.Adaptive = true
	case n == 0:
		q.Effort, q.EffortPath = "none", path
	case n > 0:
		q.Budget, q.EffortPath = n, path
		if q.Effort == "" {
			q.Effort = ir.BudgetEffort(n)
		}
	default:
		return google.Invalid(path, "The thinking budget must be -1 or more.")
	}
	return nil
}

// format sets the format of the answer, after all of generationConfig has been read. The API has no
// flag for strict schemas: every schema is strict.
func (d *requestDecoder) format() *ir.Error {
	switch d.mime {
	case "", "text/plain":
		if d.schema != "" {
			return google.Invalid(d.at, "A schema requires responseMimeType \"application/json\".")
		}
		return nil
	case "application/json":
	case "text/x.enum":
		if d.schema == "" {
			return google.Invalid("generationConfig.responseSchema",
				"text/x.enum requires a schema with an enum.")
		}
		d.request.Format.Choice = true
	default:
		return google.Invalid(paths[ir.FieldFormat], "The type "+ir.Shortened(jsonw.Unescape(d.mime))+
			" is not supported here: send application/json, with a schema that has the choice as a "+
			"property.")
	}
	d.request.Format = ir.Format{Object: d.schema == "", Choice: d.request.Format.Choice, Schema: d.schema,
		At: d.at, Bare: true}
	if d.schema != "" {
		d.request.Format.Enforced, d.request.Format.Strict = true, ir.True
	}
	return nil
}
