// The server does not know the session any more, so the request was not carried out: it may be made again in a new one.
export class SessionLostError extends Error {
  constructor() {
    super('it does not know the session any more (HTTP 404); it was started again perhaps.');
    this.name = 'SessionLostError';
  }
}
