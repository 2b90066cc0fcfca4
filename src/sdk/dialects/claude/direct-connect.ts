// What is left of connecting to a server of sessions: reading an address, and the error.

/** A server of sessions could not be reached. */
export class DirectConnectError extends Error {
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = 'DirectConnectError';
    this.status = status;
  }
}

/** `cc://host:port` as an address of the web, with the token it may carry as user name. */
export function parseDirectConnectUrl(url: string): { serverUrl: string; authToken: string | undefined } {
  if (!/^cc(s)?:\/\//.test(url))
    throw new DirectConnectError(`"${url.slice(0, 100)}" is not an address that begins with cc://.`);
  const { host, protocol, username } = new URL(url.replace(/^cc(s)?:/, 'http$1:'));
  return { serverUrl: `${protocol}//${host}`, authToken: username === '' ? undefined : decodeURIComponent(username) };
}
