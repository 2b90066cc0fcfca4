// The protocol over any way to a server: requests, answers, what a server may ask.

export { type Connection, type ConnectPlace, callTool, connectServer, type ServerFacts } from './connect.js';
export { createRpcPeer, invalidParams, type RequestOptions, type RpcProgress } from './rpc-peer.js';
export { type AskedParties, createServerRequests } from './server-requests.js';
