// Types of `stateless-server.mjs`.
import type { McpServer } from '@modelcontextprotocol/server';

export function makeServer(state: { hasGrown?: boolean }, onGrow?: () => void): McpServer;
