// The proxy that confined commands reach the network by.

export { type EgressProxy, startEgressProxy, startRelay } from './egress-proxy.js';
