// Answers of upstreams of each protocol, for the tests of tools that edgelingua runs.
import { message } from "./messages.mjs";

// answers returns the answer of an upstream of a protocol: a text, or calls, each [name, arguments].
const answers = {
  anthropic: ({ text, calls = [] }, n) =>
    message({
      id: `msg_${n}`,
      content: [
        ...(text ? [{ type: "text", text }] : []),
        ...calls.map(([name, input], i) => ({ type: "tool_use", id: `toolu_${n}${i}`, name, input })),
      ],
      stop_reason: calls.length ? "tool_use" : "end_turn",
      usage: { input_tokens: 10, output_tokens: 2 },
    }),
  chat: ({ text = null, calls = [] }, n) => ({
    id: `c_${n}`,
    object: "chat.completion",
    created: 1,
    model: "m",
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
    choices: [
      {
        index: 0,
        finish_reason: calls.length ? "tool_calls" : "stop",
        message: {
          role: "assistant",
          content: text,
          ...(calls.length && {
            tool_calls: calls.map(([name, input], i) => ({
              id: `call_${n}${i}`,
              type: "function",
              function: { name, arguments: JSON.stringify(input) },
            })),
          }),
        },
      },
    ],
  }),
  responses: ({ text, calls = [] }, n) => ({
    id: `resp_${n}`,
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
    output: [
      ...(text
        ? [
            {
              type: "message",
              id: `msg_${n}`,
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]
        : []),
      ...calls.map(([name, input], i) => ({
        type: "function_call",
        id: `fc_${n}${i}`,
        call_id: `call_${n}${i}`,
        name,
        arguments: JSON.stringify(input),
        status: "completed",
      })),
    ],
  }),
};

// chunks makes the stream of an upstream's plain answer.
const chunks = {
  anthropic: (m) =>
    [
      ["message_start", { message: { ...m, content: [], stop_reason: null } }],
      ...m.content.flatMap((block, index) => [
        [
          "content_block_start",
          {
            index,
            content_block: block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} },
          },
        ],
        [
          "content_block_delta",
          {
            index,
            delta:
              block.type === "text"
                ? { type: "text_delta", text: block.text }
                : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
          },
        ],
        ["content_block_stop", { index }],
      ]),
      [
        "message_delta",
        { delta: { stop_reason: m.stop_reason, stop_sequence: null }, usage: { output_tokens: 2 } },
      ],
      ["message_stop", {}],
    ].map(([type, rest]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`),
  chat: ({ choices: [{ message, finish_reason }], usage, ...head }) =>
    [
      ...[
        { role: "assistant", content: message.content },
        ...(message.tool_calls ?? []).map((call, index) => ({ tool_calls: [{ index, ...call }] })),
      ].map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
      { ...head, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...head, choices: [], usage },
    ]
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .concat("data: [DONE]\n\n"),
  responses: (r) =>
    [
      ["response.created", { response: { ...r, output: [], status: "in_progress" } }],
      ...r.output.flatMap((item, output_index) => [
        [
          "response.output_item.added",
          {
            output_index,
            item: item.type === "message" ? { ...item, content: [] } : { ...item, arguments: "" },
          },
        ],
        ...(item.type === "message"
          ? [
              [
                "response.content_part.added",
                { item_id: item.id, output_index, content_index: 0, part: { ...item.content[0], text: "" } },
              ],
              [
                "response.output_text.delta",
                { item_id: item.id, output_index, content_index: 0, delta: item.content[0].text },
              ],
            ]
          : [
              [
                "response.function_call_arguments.delta",
                { item_id: item.id, output_index, delta: item.arguments },
              ],
            ]),
        ["response.output_item.done", { output_index, item }],
      ]),
      ["response.completed", { response: r }],
    ].map(([type, rest]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`),
};

// answer answers an exchange of an upstream of a protocol, streamed if the request asks for a
// stream. n makes the answers of a test distinct.
export function answer(exchange, protocol, said, n) {
  const whole = answers[protocol](said, n);
  return exchange.json.stream ? exchange.stream(chunks[protocol](whole)) : exchange.answer(200, whole);
}
