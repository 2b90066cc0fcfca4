// JSON as a type, and JSON Schema as data. Nothing here runs.

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema document, any draft. Kept open: the engine passes it on and never rewrites it. */
export type JsonSchema = { readonly [keyword: string]: unknown };
