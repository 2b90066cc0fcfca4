// Somebody has to sign in to the server before it can be used, or used further.

/** Contract: its text is for people, and names no token. */
export class NeedsAuthError extends Error {
  constructor(why = 'somebody has to sign in to it first.') {
    super(why);
    this.name = 'NeedsAuthError';
  }
}
