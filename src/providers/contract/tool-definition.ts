// A tool as the model is told of it. Its JSON is kilobytes, and the same in every session: it is written once for a tool.
import type { JsonSchema } from '../../protocol/json.js';
import { deepWellFormed, toWellFormed } from '../../util/text.js';

/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

/** What a tool says of itself. */
export interface DescribedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** A definition that keeps its JSON, however many sessions and requests take it. Contract: valid Unicode throughout. */
export class KeptDefinition implements ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
  #json: string | undefined;

  constructor({ name, description, inputSchema }: DescribedTool) {
    this.name = name;
    // Half a character in one of them would fail every request.
    this.description = toWellFormed(description);
    this.input_schema = deepWellFormed(inputSchema) as JsonSchema;
  }

  /** False where the tool was changed since. */
  fits({ name, description, inputSchema }: DescribedTool): boolean {
    return this.name === name && this.description === description && this.input_schema === inputSchema;
  }

  /** `{"name":…,"description":…,"input_schema":…}` */
  get json(): string {
    this.#json ??= JSON.stringify(this);
    return this.#json;
  }
}

/** As `KeptDefinition.json`, for any definition. */
export function definitionJson(tool: ToolDefinition): string {
  if (tool instanceof KeptDefinition) return tool.json;
  const { name, description, input_schema } = tool;
  return JSON.stringify({ name, description, input_schema });
}
