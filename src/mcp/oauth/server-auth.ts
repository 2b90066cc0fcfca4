// Signing in to one server while a session lasts: one sign-in at a time, finished by the browser that comes back to this
// machine, or by the address that somebody pastes. One rule: who begins anew ends what was begun before.

import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  computeScopeUnion,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  type OAuthServerInfo,
  registerClient,
  resourceUrlFromServerUrl,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { listenForRedirect, type RedirectListener } from '../../host/redirect-listener.js';
import type { McpCredentials } from '../../protocol/mcp.js';
import { errorText, shorten } from '../../util/text.js';
import { type BearerTokens, type Challenge, clientOf, withTokens } from './bearer-tokens.js';
import { type AuthPlace, checkEndpoint, credentialsKey, type ServerAuth } from './signing-in.js';

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

/** At the port of the client that is known already, if it is free: then it need not be made known again. */
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

// Signing in to a server: finds its authorization server, makes this program known there, sends the user to it, and takes
// what comes back. OAuth 2.1 with PKCE. One rule: everything a server names is checked before it is used, and what comes
// back must be the answer to what was asked, from whom it was asked.

interface SignIn {
  /** The page that the user goes to. https, or on this machine if the server is. */
  readonly authUrl: string;
  /** The address that the user is sent back to. */
  readonly redirectUri: string;
  /**
   * Takes the address that the user was sent back to, or its part behind the question mark, and keeps the tokens.
   * @throws Error if it is no answer to this, the user refused, or no tokens are given
   */
  finish(callback: string): Promise<void>;
}

/** @throws Error in words that follow the name of the server and a colon */
async function beginSignIn(place: AuthPlace, challenge: Challenge | null, redirectUri: string): Promise<SignIn> {
  const { url, fetch, ids, terms } = place;
  const found = await discover(place, challenge);
  const { authorizationServerUrl: issuerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found;
  const issuer = metadata?.issuer ?? issuerUrl;
  const endpoints = endpointsOf(found, url);
  const resource = resourceMetadata?.resource;
  if (
    resource !== undefined &&
    !checkResourceAllowed({ requestedResource: resourceUrlFromServerUrl(url), configuredResource: resource })
  )
    throw new Error(`it says that it is ${JSON.stringify(shorten(resource, 200))}, which is another server`);
  const kept = await place.store.read(credentialsKey(place));
  const earlier = kept?.issuer === issuer ? kept : null;
  const scope = scopeFor(found, challenge, earlier, terms.scopes);
  const client = await clientFor(place, { issuerUrl, issuer, metadata, redirectUri, scope, earlier });
  const credentials: McpCredentials = {
    issuer,
    tokenEndpoint: endpoints.token.href,
    ...(metadata?.token_endpoint_auth_methods_supported === undefined
      ? {}
      : { authMethods: metadata.token_endpoint_auth_methods_supported }),
    clientId: client.client_id,
    ...(client.client_secret === undefined ? {} : { clientSecret: client.client_secret }),
    redirectUri,
    ...(resource === undefined ? {} : { resource }),
  };
  const state = `${ids.uuid()}${ids.uuid()}`.replaceAll('-', '');
  const { authorizationUrl, codeVerifier } = await startAuthorization(issuerUrl, {
    ...(metadata === undefined ? {} : { metadata }),
    clientInformation: client,
    redirectUrl: redirectUri,
    state,
    ...(scope === undefined ? {} : { scope }),
    ...(resource === undefined ? {} : { resource }),
  });
  checkEndpoint(authorizationUrl.href, 'to sign in at', url);
  let isDone = false;
  return {
    authUrl: authorizationUrl.href,
    redirectUri,
    async finish(callback) {
      if (isDone) throw new Error('this sign-in is over; begin again');
      const { code, iss } = readCallback(callback, { redirectUri, state, issuer, metadata });
      isDone = true; // a code is used once
      const tokens = await exchangeAuthorization(issuerUrl, {
        ...(metadata === undefined ? {} : { metadata }),
        clientInformation: clientOf(credentials),
        authorizationCode: code,
        ...(iss === undefined ? {} : { iss }),
        codeVerifier,
        redirectUri,
        ...(resource === undefined ? {} : { resource }),
        fetchFn: fetch,
      });
      place.onSecret(tokens.access_token, `token of the MCP server ${place.name}`);
      if (tokens.refresh_token !== undefined)
        place.onSecret(tokens.refresh_token, `token of the MCP server ${place.name}`);
      const asked = scope === undefined ? {} : { scope };
      await place.store.write(credentialsKey(place), {
        ...withTokens({ ...credentials, ...asked }, tokens, place.clock.now()),
      });
    },
  };
}

async function discover({ url, fetch }: AuthPlace, challenge: Challenge | null): Promise<OAuthServerInfo> {
  const named = challenge?.resourceMetadataUrl;
  // It says what it is at an address of its own, and nowhere else.
  const resourceMetadataUrl = named?.origin === url.origin ? named : undefined;
  const checked = async (address: string | URL, init?: RequestInit): Promise<Response> => {
    checkEndpoint(String(address), 'of what it says of signing in', url);
    return fetch(address, init);
  };
  try {
    return await discoverOAuthServerInfo(url, {
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      fetchFn: checked,
    });
  } catch (error) {
    throw new Error(`what it says of signing in cannot be used: ${errorText(error)}`, { cause: error });
  }
}

function endpointsOf({ authorizationServerUrl, authorizationServerMetadata }: OAuthServerInfo, server: URL) {
  const of = (path: string) => new URL(path, authorizationServerUrl).href;
  const {
    authorization_endpoint = of('/authorize'),
    token_endpoint = of('/token'),
    registration_endpoint,
  } = authorizationServerMetadata ?? {};
  checkEndpoint(authorization_endpoint, 'to sign in at', server);
  if (registration_endpoint !== undefined) checkEndpoint(registration_endpoint, 'to register at', server);
  return { token: checkEndpoint(token_endpoint, 'for tokens', server) };
}

/** What the definition names; else what the server asked for, with what was granted before; else all that it names. */
function scopeFor(
  { resourceMetadata, authorizationServerMetadata }: OAuthServerInfo,
  challenge: Challenge | null,
  earlier: McpCredentials | null,
  ofTerms: string | undefined,
): string | undefined {
  const asked = computeScopeUnion(earlier?.scope, earlier?.wantedScope, challenge?.scope);
  const scope = ofTerms ?? asked ?? resourceMetadata?.scopes_supported?.join(' ');
  const { scopes_supported: known = [] } = authorizationServerMetadata ?? {};
  if (scope === undefined || scope === '' || ofTerms !== undefined || !known.includes('offline_access'))
    return scope || undefined;
  // Without it some give no refresh token.
  return computeScopeUnion(scope, 'offline_access');
}

interface ClientRequest {
  readonly issuerUrl: string;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly earlier: McpCredentials | null;
}

/** The client of the definition; the one that was registered before; a new one. */
async function clientFor({ terms, fetch, name }: AuthPlace, request: ClientRequest) {
  const { issuerUrl, metadata, redirectUri, scope, earlier } = request;
  if (terms.clientId !== undefined)
    return clientOf({
      clientId: terms.clientId,
      ...(terms.clientSecret === undefined ? {} : { clientSecret: terms.clientSecret }),
    });
  // Its id is the address of a document that says what it is: nothing has to be registered.
  if (terms.clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true)
    return clientOf({ clientId: terms.clientMetadataUrl });
  if (earlier !== null && earlier.redirectUri === redirectUri) return clientOf(earlier);
  if (metadata !== undefined && metadata.registration_endpoint === undefined)
    throw new Error(
      `it does not make programs known by itself. Register one there by hand, and write its id: turnwright mcp add --client-id … ${name} …`,
    );
  const registered = await registerClient(issuerUrl, {
    ...(metadata === undefined ? {} : { metadata }),
    clientMetadata: {
      client_name: 'Turnwright',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    ...(scope === undefined ? {} : { scope }),
    fetchFn: fetch,
  });
  return clientOf({
    clientId: registered.client_id,
    ...(registered.client_secret === undefined ? {} : { clientSecret: registered.client_secret }),
  });
}

interface Expected {
  readonly redirectUri: string;
  readonly state: string;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
}

/** What came back is foreign text until its state and its issuer are known to be the ones that were asked. */
function readCallback(callback: string, { redirectUri, state, issuer, metadata }: Expected) {
  const text = callback.trim();
  const isAddress = /^https?:\/\//i.test(text) && URL.canParse(text);
  const target = new URL(redirectUri);
  if (isAddress) {
    const { origin, pathname } = new URL(text);
    if (origin !== target.origin || pathname !== target.pathname)
      throw new Error(`that is not the address you were sent back to, which begins with ${redirectUri}`);
  }
  const query = isAddress ? new URL(text).searchParams : new URLSearchParams(text.replace(/^[^?]*\?/, ''));
  if (query.get('state') !== state)
    throw new Error(
      'that is no answer to this sign-in: its state is a different one. Begin again, and use the newest address',
    );
  const iss = query.get('iss') ?? undefined;
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer ?? issuer,
    issParameterSupported:
      (metadata as { authorization_response_iss_parameter_supported?: boolean } | undefined)
        ?.authorization_response_iss_parameter_supported === true,
  });
  const refused = query.get('error');
  if (refused !== null) throw new Error(`the sign-in was refused (${shorten(refused.replace(/[^\w.-]/g, ''), 60)})`);
  const code = query.get('code');
  if (code === null || code === '') throw new Error('the address has no code in it: copy the whole of it');
  return { code, iss };
}
