// The words of an MCP server's definition that may name files: program, arguments, and values of variables.

/** Of a definition as it stands in a file, whatever it is. */
export function serverWords(config: unknown): string[] {
  if (typeof config !== 'object' || config === null) return [];
  const { command, args, env, headersHelper } = config as Readonly<Record<string, unknown>>;
  const ofEnv = typeof env === 'object' && env !== null ? Object.values(env) : [];
  return [command, headersHelper, ...(Array.isArray(args) ? args : []), ...ofEnv].filter(
    (value) => typeof value === 'string',
  );
}
