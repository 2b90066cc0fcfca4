// Whose keys there are, which model would answer, and whether requests reach it.
import { readFile } from 'node:fs/promises';
import { reach, wayTo } from '../../../sdk/faces/index.js';
import { type KeyStatus, keyStatus, type ProviderKeyStatus } from '../../../sdk/models/index.js';
import { errorText } from '../../../util/text.js';
import { type Finding, ok, type Place, problem } from './finding.js';

export async function lookAtModel({ host }: Place): Promise<readonly Finding[]> {
  const status = await keyStatus(host);
  const known = status.providers.filter(({ source }) => source !== 'none');
  const { chosen, whyNone, problem: fault } = status;
  return [
    ...known.map((each) => ok(`${each.displayName}: ${sourceOf(each)}.`)),
    ...(fault === null ? [] : [problem(fault)]),
    chosen === null
      ? problem(whyNone ?? 'No model can answer.')
      : ok(`Without --model, ${chosen.provider}/${chosen.model} answers.`),
  ];
}

function sourceOf({ source, variable }: ProviderKeyStatus): string {
  if (source === 'environment') return `a key in the variable ${variable}`;
  return source === 'login' ? 'a key kept by "turnwright login"' : 'a key in settings or in the file of models';
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const AUTHORITY_VARIABLES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];

export async function lookAtNetwork(place: Place, signal: AbortSignal): Promise<readonly Finding[]> {
  const { host, isOnline } = place;
  const address = addressOf(await keyStatus(host));
  return [
    ...namedVariables(host.env),
    ...(await authorityFiles(host.env)),
    ...(address === null ? [] : await way(place, address)),
    ...(address !== null && isOnline ? [await answer(place, address, signal)] : []),
    ...(address === null || isOnline ? [] : [ok('Nothing was sent there: --online does.')]),
  ];
}

/** Of the provider that would answer. */
function addressOf({ chosen, providers }: KeyStatus): string | null {
  return providers.find(({ provider }) => provider === chosen?.provider)?.baseUrl ?? null;
}

function namedVariables(env: Place['host']['env']): Finding[] {
  const set = PROXY_VARIABLES.filter((name) => (env[name] ?? env[name.toLowerCase()] ?? '') !== '');
  return set.length === 0 ? [] : [ok(`Set: ${set.join(', ')}.`)];
}

async function authorityFiles(env: Place['host']['env']): Promise<Finding[]> {
  const named = AUTHORITY_VARIABLES.flatMap((name) => {
    const file = env[name]?.trim() ?? '';
    return file === '' ? [] : [{ name, file }];
  });
  return Promise.all(
    named.map(async ({ name, file }) => {
      try {
        const text = await readFile(file, 'utf8');
        if (text.includes('-----BEGIN CERTIFICATE-----')) return ok(`${name}: ${file} holds certificates.`);
        return problem(`${name}: ${file} holds no certificate in PEM form.`, 'name a PEM file, or unset the variable');
      } catch (error) {
        return problem(
          `${name}: ${file} cannot be read (${errorText(error)}).`,
          'name a PEM file, or unset the variable',
        );
      }
    }),
  );
}

async function way({ host }: Place, address: string): Promise<Finding[]> {
  const { proxy, hasOwnAuthorities } = await wayTo(host, address);
  const trusted = hasOwnAuthorities ? ', and certificates of your own authorities are believed' : '';
  return [ok(`Requests to ${address} go ${proxy === null ? 'straight' : `through the proxy ${proxy}`}${trusted}.`)];
}

async function answer({ host }: Place, address: string, signal: AbortSignal): Promise<Finding> {
  const since = host.clock.monotonic();
  try {
    const status = await reach(host, address, signal);
    const took = Math.round(host.clock.monotonic() - since);
    return ok(`${address} answers (HTTP ${status} to an empty request without a key, ${took} ms).`);
  } catch (error) {
    return problem(`${address} does not answer: ${errorText(error)}`, 'check the network, the proxy and the base URL');
  }
}
