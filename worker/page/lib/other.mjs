// other is a server without a preset.
export const other = { id: "other", title: "Another server", protocol: "chat", url: "" };
