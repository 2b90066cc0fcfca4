// Answers that follow a schema, and whether values do.
export {
  acceptStructuredOutput,
  acceptStructuredText,
  isStructuredOutputCall,
  MAX_STRUCTURED_FAILURES,
  outputTool,
  structuredOutputTool,
} from './structured-output.js';
export { createJsonValidator, schemaProblem } from './validate-json.js';
