// tool(): declares a tool of the host's own, to be served by `createSdkMcpServer()`.
import { checkObject } from '../../protocol/given.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { CallToolResult, McpCallExtra, ToolAnnotations } from '../../protocol/mcp.js';
import type { AnyZodRawShape, InferShape, ZodLike } from '../schemas/index.js';

/** What a tool may know of the call beside its arguments, and do while it runs. */
export type RequestHandlerExtra = Required<Omit<McpCallExtra, 'sessionId'>> & Pick<McpCallExtra, 'sessionId'>;

export type ToolExtras = {
  readonly annotations?: ToolAnnotations;
  /** Words that ToolSearch finds it by, beside its name, its description and its arguments. */
  readonly searchHint?: string;
  /** True: it is in every request, however many tools there are. */
  readonly alwaysLoad?: boolean;
};

/** A Zod raw shape (3 or 4), a Zod object, or a JSON Schema object. */
export type ToolInputSchema = AnyZodRawShape | ZodLike | JsonSchema;

/** The arguments a handler gets for an input schema. A JSON Schema says nothing to the type checker. */
export type InferInput<Schema> = Schema extends ZodLike
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
