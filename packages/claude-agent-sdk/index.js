// Stands in the place of @anthropic-ai/claude-agent-sdk, for packages that import it.
export * from 'turnwright/claude';
