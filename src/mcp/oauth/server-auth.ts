// Signing in to one server while a session lasts: one sign-in at a time, finished by the browser that comes back to this
// machine, or by the address that somebody pastes. One rule: who begins anew ends what was begun before.

import type { RedirectListener } from '../../host/redirect-listener.js';
import { listenForRedirect } from '../../host/redirect-listener.js';
import { errorText, shorten } from '../../util/text.js';
import type { BearerTokens } from './bearer-tokens.js';
import { beginSignIn, type SignIn } from './sign-in.js';
import { type AuthPlace, credentialsKey, type ServerAuth } from './signing-in.js';

/** After so long nobody comes back. */
const PATIENCE_MS = 10 * 60_000;
const DONE = 'You are signed in. You can close this page and go back to Turnwright.';

interface Pending {
  readonly signIn: SignIn;
  readonly listener: RedirectListener | null;
  readonly settle: (error: Error | null) => void;
  readonly stopTimer: () => void;
}

export function createServerAuth(place: AuthPlace, tokens: BearerTokens): ServerAuth {
  let pending: Pending | null = null;
  const giveUp = (why: string): void => {
    const one = pending;
    pending = null;
    one?.stopTimer();
    one?.listener?.close();
    one?.settle(new Error(why));
  };
  const finish = async (callback: string): Promise<void> => {
    const one = pending;
    if (one === null) throw new Error('no sign-in was begun, or it is over. Begin one first');
    await one.signIn.finish(callback);
    tokens.forget();
    if (pending === one) pending = null;
    one.stopTimer();
    one.listener?.close();
    one.settle(null);
  };
  const onAnswer = (address: string) =>
    finish(address).then(
      () => ({ isDone: true, text: DONE }),
      (error: unknown) => ({ isDone: false, text: `That did not work: ${shorten(errorText(error), 300)}.` }),
    );
  return {
    async begin(redirectUri) {
      giveUp('another sign-in was begun');
      const listener = redirectUri === undefined ? await listen(place, onAnswer) : null;
      try {
        const signIn = await beginSignIn(place, tokens.challenge, redirectUri ?? listener?.redirectUri ?? '');
        let settle: Pending['settle'] = () => undefined;
        const done = new Promise<void>((resolve, reject) => {
          settle = (error) => (error === null ? resolve() : reject(error));
        });
        done.catch(() => undefined); // whoever waits for it hears of it
        const stopTimer = place.clock.after(PATIENCE_MS, () => giveUp('nobody signed in in time'));
        pending = { signIn, listener, settle, stopTimer };
        return { authUrl: signIn.authUrl, done };
      } catch (error) {
        listener?.close();
        throw error;
      }
    },
    async wantsMore() {
      return (await place.store.read(credentialsKey(place)))?.wantedScope !== undefined;
    },
    submit: finish,
    async clear() {
      giveUp('what is kept of the server was forgotten');
      await place.store.write(credentialsKey(place), null);
      tokens.forget();
    },
    use(token) {
      giveUp('a token was given instead');
      tokens.use(token);
    },
    close: () => giveUp('the session ended'),
  };
}

/** At the port of the client that is known already, where it is free: then it need not be made known again. */
async function listen(
  place: AuthPlace,
  onAnswer: Parameters<typeof import('../../host/redirect-listener.js').listenForRedirect>[1],
): Promise<RedirectListener> {
  const { callbackPort } = place.terms;
  if (callbackPort !== undefined) {
    return listenForRedirect(callbackPort, onAnswer).catch((error: unknown) => {
      throw new Error(`the port ${callbackPort} of oauth.callbackPort cannot be listened to: ${errorText(error)}`);
    });
  }
  const kept = (await place.store.read(credentialsKey(place)))?.redirectUri;
  const port = kept !== undefined && URL.canParse(kept) ? Number(new URL(kept).port) : 0;
  return listenForRedirect(port, onAnswer).catch(() => listenForRedirect(0, onAnswer));
}
