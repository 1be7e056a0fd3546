// other is a server that has no preset.
export const other = { id: "other", title: "Another server", protocol: "chat", url: "" };
