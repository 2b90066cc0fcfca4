// How a proxy failed, told apart from what the system says of a connection.

/** What a proxy did, in words that follow "the proxy HOST". */
export class ProxyAnswer extends Error {}
