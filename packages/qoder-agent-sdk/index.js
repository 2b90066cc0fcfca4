// Stands in the place of @qoder-ai/qoder-agent-sdk, for packages that import it.
export * from 'turnwright/qoder';
