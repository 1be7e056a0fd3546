package faults

// lifetime is 60 minutes, as at OpenAI (guide "WebSocket Mode").
const lifetime = 60 * 60 * 1000
