// Servers by HTTP: streams, and the older form with SSE. What opens one is loaded with the first.

export { HTTP_FIELDS, type HttpTerms, isHttpType, type OpenedHttpServer, readHttpTerms } from './http-definition.js';
