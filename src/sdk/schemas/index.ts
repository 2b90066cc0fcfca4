// Schemas that a host gives: of Zod or as JSON, for inputs of tools and for answers that are values.

export type { OutputFormatOption, SDKMessageWith, SDKResultWith } from './output-format.js';
export { readOutputFormat } from './output-format.js';
export {
  type AnyZodRawShape,
  type InferShape,
  isZodSchema,
  isZodShape,
  type Parsed,
  parseSchema,
  parseShape,
  toJsonSchema,
  type ZodLike,
} from './zod-schema.js';
