// tool() declares a tool of the host's own, createSdkMcpServer() makes an MCP server in this process of several.
import { createJsonValidator } from '../../engine/output/index.js';
import type { ValidateJson } from '../../engine/state/index.js';
import { ConfigError } from '../../protocol/errors.js';
import { checkObject, kindOf } from '../../protocol/given.js';
import type { JsonSchema } from '../../protocol/json.js';
import type {
  CallToolResult,
  McpCallExtra,
  McpListedTool,
  McpSdkServer,
  McpSdkServerConfigWithInstance,
  ToolAnnotations,
} from '../../protocol/mcp.js';
import { errorText } from '../../util/text.js';
import {
  type AnyZodRawShape,
  type InferShape,
  isZodSchema,
  isZodShape,
  type Parsed,
  parseSchema,
  parseShape,
  toJsonSchema,
  type ZodLike,
} from '../schemas/index.js';

/** What a tool may know of the call beside its arguments, and do while it runs. */
type RequestHandlerExtra = Required<Omit<McpCallExtra, 'sessionId'>> & Pick<McpCallExtra, 'sessionId'>;

export type ToolExtras = {
  readonly annotations?: ToolAnnotations;
  /** Words that ToolSearch finds it by, beside its name, its description and its arguments. */
  readonly searchHint?: string;
  /** True: it is in every request, however many tools there are. */
  readonly alwaysLoad?: boolean;
};

/** A Zod raw shape (3 or 4), a Zod object, or a JSON Schema object. */
type ToolInputSchema = AnyZodRawShape | ZodLike | JsonSchema;

/** The arguments a handler gets for an input schema. A JSON Schema says nothing to the type checker. */
type InferInput<Schema> = Schema extends ZodLike
  ? Schema['_output']
  : Schema extends AnyZodRawShape
    ? InferShape<Schema>
    : Record<string, unknown>;

export interface SdkMcpToolDefinition<Schema = ToolInputSchema> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly annotations?: ToolAnnotations;
  readonly searchHint?: string;
  readonly alwaysLoad?: boolean;
  handler(args: InferInput<Schema>, extra: RequestHandlerExtra): Promise<CallToolResult>;
}

/**
 * Declares a tool. Names and descriptions are checked when a server takes it.
 * @param inputSchema types the handler's `args`, and every call is validated against it
 * @param handler Contract: called once per allowed call; a throw becomes an error result the model reads
 */
export function tool<const Schema extends ToolInputSchema>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (args: InferInput<Schema>, extra: RequestHandlerExtra) => Promise<CallToolResult>,
  extras: ToolExtras = {},
): SdkMcpToolDefinition<Schema> {
  checkObject(extras, 'The last argument of tool()');
  return {
    name,
    description,
    inputSchema,
    handler,
    ...(extras.annotations === undefined ? {} : { annotations: extras.annotations }),
    ...(extras.searchHint === undefined ? {} : { searchHint: extras.searchHint }),
    ...(extras.alwaysLoad === undefined ? {} : { alwaysLoad: extras.alwaysLoad }),
  };
}

// Definitions of different schemas in one list: only their own handler knows the argument type.
type AnyToolDefinition = SdkMcpToolDefinition<never> | SdkMcpToolDefinition<ToolInputSchema>;

export interface CreateSdkMcpServerOptions {
  /** Becomes part of the tools' full names: `mcp__{name}__{tool}`. */
  readonly name: string;
  /** Default `1.0.0`. */
  readonly version?: string;
  /** True: its tools are in every request, however many tools there are. */
  readonly alwaysLoad?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: a list of tools with different argument types has no narrower common type
  readonly tools?: readonly SdkMcpToolDefinition<any>[];
}

/** @throws ConfigError for an empty name or description, or two tools of one name. */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): McpSdkServerConfigWithInstance<McpSdkServer> {
  checkObject(options, 'What createSdkMcpServer() is given');
  const { name, version = '1.0.0', tools = [], alwaysLoad = false } = options;
  if (!Array.isArray(tools)) throw new ConfigError(`The tools of ${name} must be a list, not ${kindOf(tools)}.`);
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    throw new ConfigError(`The MCP server name "${name}" cannot be used. Use letters, digits, "_" and "-".`);
  }
  const byName = new Map<string, AnyToolDefinition>();
  for (const definition of tools) {
    checkDefinition(definition, name, byName);
    byName.set(definition.name, definition);
  }
  return { type: 'sdk', name, instance: createServer(name, version, byName, alwaysLoad) };
}

function checkDefinition(definition: AnyToolDefinition, server: string, byName: ReadonlyMap<string, unknown>): void {
  checkObject(definition, `A tool of ${server}`);
  if (!/^[a-zA-Z0-9_-]+$/.test(definition.name)) {
    throw new ConfigError(`A tool of ${server} is named "${definition.name}". Use letters, digits, "_" and "-".`);
  }
  if (typeof definition.description !== 'string' || definition.description.trim() === '') {
    throw new ConfigError(`The tool ${definition.name} of ${server} has no description. The model needs one.`);
  }
  if (typeof definition.handler !== 'function') {
    throw new ConfigError(
      `The handler of the tool ${definition.name} of ${server} must be a function, not ${kindOf(definition.handler)}.`,
    );
  }
  if (byName.has(definition.name)) throw new ConfigError(`${server} has two tools named ${definition.name}.`);
}

function createServer(
  name: string,
  version: string,
  tools: ReadonlyMap<string, AnyToolDefinition>,
  alwaysLoad: boolean,
): McpSdkServer {
  const validateJson = createJsonValidator();
  let calls = 0;
  return {
    name,
    version,
    listTools: () =>
      [...tools.values()].map((definition) => ({
        name: definition.name,
        description: definition.description,
        inputSchema: toJsonSchema(definition.inputSchema),
        ...(definition.annotations === undefined ? {} : { annotations: definition.annotations }),
        ...metaOf(definition, alwaysLoad),
      })),
    async callTool(toolName, args, extra) {
      const definition = tools.get(toolName);
      if (definition === undefined) return failure(`${name} has no tool ${toolName}.`);
      try {
        const parsed = await parseArguments(definition.inputSchema, args, validateJson);
        if (!parsed.ok) return failure(`The arguments of ${toolName} are not valid: ${parsed.problems.join('; ')}`);
        const run = definition.handler as (args: unknown, extra: RequestHandlerExtra) => Promise<CallToolResult>;
        return await run(parsed.value, wholeExtra(extra, `${name}-${++calls}`));
      } catch (error) {
        return failure(`${toolName} failed: ${errorText(error)}`);
      }
    },
  };
}

/** Whoever calls may know no session. */
function wholeExtra(extra: McpCallExtra, requestId: string): RequestHandlerExtra {
  return {
    requestId,
    _meta: {},
    sendNotification: async () => undefined,
    sendRequest: async ({ method }) => {
      throw new Error(`There is no ${method} here: the call belongs to no session.`);
    },
    ...extra,
  };
}

/** As servers of other programs say it. */
function metaOf({ searchHint, alwaysLoad }: AnyToolDefinition, isServerLoaded: boolean): Pick<McpListedTool, '_meta'> {
  const meta = {
    ...(searchHint === undefined ? {} : { 'anthropic/searchHint': searchHint }),
    ...((alwaysLoad ?? isServerLoaded) ? { 'anthropic/alwaysLoad': true } : {}),
  };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

async function parseArguments(schema: unknown, args: unknown, validateJson: ValidateJson): Promise<Parsed> {
  if (isZodSchema(schema)) return parseSchema(schema, args);
  if (isZodShape(schema)) return parseShape(schema, args);
  const problems = await validateJson(args, schema as JsonSchema);
  return problems.length === 0 ? { ok: true, value: args } : { ok: false, problems };
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
