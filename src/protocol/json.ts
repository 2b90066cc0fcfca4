// JSON as a type, and JSON Schema as data. Nothing here runs.

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema document, any draft. Kept open: the engine passes it on as it is; only drafts before 4 are said in newer words. */
export type JsonSchema = { readonly [keyword: string]: unknown };
