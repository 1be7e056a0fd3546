package textcalls

// state is a position in the grammar of a mark, or before one.
type state uint8

const (
	atLine    state = iota // at the start of a line
	atText                 // at the start of a text, or in the space after it
	atAnswer               // at the start of the answer, or in the space after it
	afterCall              // after a call, or in the space after it
	end

	tagged // <tool_call>
	taggedJSON
	glmName
	glmMore
	glmKey
	glmBetween
	glmValue

	function // <function=
	functionBody
	functionArguments
	functionMore
	functionKey
	functionValue

	bareJSON
	llamaJSON

	mistral // [TOOL_CALLS]
	mistralList
	mistralName
	mistralID
	mistralArguments

	grokName // <xai:function_call name="
	grokBody
	grokKey
	grokValue

	kimi // <|tool_calls_section_begin|>
	kimiCall
	kimiName
	kimiIndex
	kimiArguments

	deepSeek // <｜tool▁calls▁begin｜>
	deepSeekCall
	deepSeekWord
	deepSeekBody
	deepSeekArguments
	deepSeekName
	deepSeekFenced
	deepSeekFence

	dsml // <｜DSML｜tool_calls>
	dsmlName
	dsmlBody
	dsmlArguments
	dsmlKey
	dsmlText
	dsmlJSON

	stateCount
)

// reads is the kind of content in a state.
type reads uint8

const (
	nothing     reads = iota
	aName             // the name of a callable tool
	aWord             // a word of the same characters: the name, if no aName follows
	aKey              // the key of an argument
	aValue            // the value of an argument, up to the next mark; its type is in the tool's schema
	aLine             // an aValue; one line break before and one after are not part of the value
	aText             // an aValue, a string
	aJSON             // an aValue, JSON
	anArguments       // the arguments, an object
	aCall             // a call, an object
	aList             // calls, a list of objects
)

// readAt is the content in each state.
var readAt = [stateCount]reads{
	taggedJSON:        aCall,
	glmName:           aName,
	glmKey:            aKey,
	glmValue:          aValue,
	function:          aName,
	functionArguments: anArguments,
	functionKey:       aKey,
	functionValue:     aLine,
	bareJSON:          aCall,
	llamaJSON:         aCall,
	mistralList:       aList,
	mistralName:       aName,
	mistralID:         aWord,
	mistralArguments:  anArguments,
	grokName:          aName,
	grokKey:           aKey,
	grokValue:         aValue,
	kimiName:          aName,
	kimiIndex:         aWord,
	kimiArguments:     anArguments,
	deepSeekWord:      aWord,
	deepSeekArguments: anArguments,
	deepSeekName:      aName,
	deepSeekFenced:    anArguments,
	dsmlName:          aName,
	dsmlArguments:     anArguments,
	dsmlKey:           aKey,
	dsmlText:          aText,
	dsmlJSON:          aJSON,
}

// step is a transition from a state: over a text, or, if text is "", into the content that readAt
// has for the state to. Space may precede either.
type step struct {
	from stateSet
	text string
	to   state
}

// stateSet is a set of states: bit s is state s.
type stateSet uint64

const (
	anywhere      = 1<<atLine | 1<<atText | 1<<atAnswer | 1<<afterCall
	afterCallOnly = 1 << afterCall
)

// steps are the marks:
//
//   - Hermes and Qwen: <tool_call>{"name":...,"arguments":{...}}</tool_call> (Qwen docs, "Function
//     Calling"; vLLM's hermes parser)
//   - GLM-4.5 and later: <tool_call>NAME<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>
//     (vLLM's glm45 parser)
//   - Qwen3-Coder: <tool_call><function=NAME><parameter=K>V</parameter></function></tool_call>
//     (vLLM's qwen3_coder parser). If the model forgets the first mark but not the last, Ollama
//     leaves the whole call in the text (ollama#16686, ollama#18530)
//   - Llama 3.1: <function=NAME>{...}</function>, and objects {"name":...,"parameters":{...}}
//     separated by semicolons, with or without <|python_tag|> before them (Llama 3.1 model card,
//     "Prompt formats"; vLLM's llama3_json parser)
//   - Mistral: [TOOL_CALLS][{"name":...,"arguments":{...}}], and since its tokenizer v11
//     [TOOL_CALLS]NAME[ARGS]{...} or [TOOL_CALLS]NAME{...} (mistral-common, "Tool calls"; vLLM's
//     mistral parser)
//   - Grok: <xai:function_call name="NAME"><parameter name="K">V</parameter></xai:function_call>
//     (in answers that users have recorded)
//   - Kimi K2:
//     <|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{...}<|tool_call_end|> in a
//     section (tool_call_guidance.md of the model)
//   - DeepSeek V3 and V3.1: <｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME, {...} in a fence, and
//     <｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{...}, in a section (SGLang's deepseekv3 and deepseekv31
//     detectors)
//   - DeepSeek V3.2 and V4: <｜DSML｜invoke name="NAME"><｜DSML｜parameter name="K"
//     string="true">V</｜DSML｜parameter></｜DSML｜invoke>, in a section (SGLang's deepseekv32 and
//     deepseekv4 detectors)
//
// A call in a section is complete at its own end. The mark that ends the section is dropped, like
// the calls before it.
var steps = [...]step{
	// The marks of nine models are the same few things in another order: fixed texts, a name, keys,
	// values, an object. A parser for each would be nine places for a mistake that runs a tool. The
	// table is followed byte by byte, so results do not depend on where the text was cut, and no
	// byte is read again when a mark fails.
	{anywhere, "<tool_call>", tagged},
	{anywhere | 1<<tagged, "<function=", function},
	{anywhere, "<|python_tag|>", llamaJSON},
	{anywhere, "[TOOL_CALLS]", mistral},
	{anywhere, `<xai:function_call name="`, grokName},
	{anywhere, "<|tool_calls_section_begin|>", kimi},
	{anywhere | 1<<kimi, "<|tool_call_begin|>", kimiCall},
	{anywhere, "<｜tool▁calls▁begin｜>", deepSeek},
	{anywhere | 1<<deepSeek, "<｜tool▁call▁begin｜>", deepSeekCall},
	{anywhere, "<｜DSML｜function_calls>", dsml},
	{anywhere, "<｜DSML｜tool_calls>", dsml},
	{anywhere | 1<<dsml, `<｜DSML｜invoke name="`, dsmlName},
	{1 << atAnswer, "", bareJSON},

	{afterCallOnly, "</tool_call>", end},
	{afterCallOnly, "<|tool_calls_section_end|>", end},
	{afterCallOnly, "<｜tool▁calls▁end｜>", end},
	{afterCallOnly, "</｜DSML｜function_calls>", end},
	{afterCallOnly, "</｜DSML｜tool_calls>", end},

	{1 << tagged, "", taggedJSON},
	{1 << tagged, "", glmName},
	{1<<taggedJSON | 1<<glmName | 1<<glmMore, "</tool_call>", end},
	{1<<glmName | 1<<glmMore, "<arg_key>", glmKey},
	{1 << glmKey, "</arg_key>", glmBetween},
	{1 << glmBetween, "<arg_value>", glmValue},
	{1 << glmValue, "</arg_value>", glmMore},

	{1 << function, ">", functionBody},
	{1 << functionBody, "", functionArguments},
	{1<<functionBody | 1<<functionMore, "<parameter=", functionKey},
	{1 << functionKey, ">", functionValue},
	{1 << functionValue, "</parameter>", functionMore},
	{1<<functionBody | 1<<functionMore | 1<<functionArguments, "</function>", end},

	{1<<bareJSON | 1<<llamaJSON, ";", llamaJSON},

	{1 << mistral, "", mistralList},
	{1 << mistral, "", mistralName},
	{1 << mistralName, "[CALL_ID]", mistralID},
	{1<<mistralName | 1<<mistralID, "[ARGS]", mistralArguments},
	{1 << mistralName, "", mistralArguments},

	{1 << grokName, `">`, grokBody},
	{1 << grokBody, `<parameter name="`, grokKey},
	{1 << grokKey, `">`, grokValue},
	{1 << grokValue, "</parameter>", grokBody},
	{1 << grokBody, "</xai:function_call>", end},

	{1 << kimiCall, "functions.", kimiName},
	{1 << kimiName, ":", kimiIndex},
	{1 << kimiIndex, "<|tool_call_argument_begin|>", kimiArguments},
	{1 << kimiArguments, "<|tool_call_end|>", end},

	{1 << deepSeekCall, "", deepSeekWord},
	{1 << deepSeekWord, "<｜tool▁sep｜>", deepSeekBody},
	{1 << deepSeekBody, "", deepSeekArguments},
	{1 << deepSeekBody, "", deepSeekName},
	{1 << deepSeekName, "```json", deepSeekFenced},
	{1 << deepSeekFenced, "```", deepSeekFence},
	{1<<deepSeekArguments | 1<<deepSeekFence, "<｜tool▁call▁end｜>", end},

	{1 << dsmlName, `">`, dsmlBody},
	{1 << dsmlBody, "", dsmlArguments},
	{1 << dsmlBody, `<｜DSML｜parameter name="`, dsmlKey},
	{1 << dsmlKey, `" string="true">`, dsmlText},
	{1 << dsmlKey, `" string="false">`, dsmlJSON},
	{1<<dsmlText | 1<<dsmlJSON, "</｜DSML｜parameter>", dsmlBody},
	{1<<dsmlBody | 1<<dsmlArguments, "</｜DSML｜invoke>", end},
}
