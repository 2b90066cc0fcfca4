// Schemas that a host gives: of Zod or as JSON, for inputs of tools and for answers that are values.

export type { OutputFormatOption, SDKMessageWith, SDKResultWith } from './output-format.js';
export { readOutputFormat } from './output-format.js';
export { toJsonSchema } from './zod-json-schema.js';
export type { AnyZodRawShape, InferShape, Parsed, ZodLike } from './zod-shape.js';
export { isZodSchema, isZodShape, parseSchema, parseShape } from './zod-shape.js';
