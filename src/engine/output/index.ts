// Answers that follow a schema, and whether values do.
export {
  acceptStructuredOutput,
  acceptStructuredText,
  isStructuredOutputCall,
  MAX_STRUCTURED_FAILURES,
} from './structured-output.js';
export { structuredOutputTool } from './structured-output-tool.js';
export { createJsonValidator } from './validate-json.js';
