// Which way requests take: straight, or through which proxy.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/protocol/errors.js';
import { chooseProxy } from '../../../src/providers/http/http-tunnel.js';

const API = new URL('https://api.example.com/v1');
const PLAIN = new URL('http://api.example.com/v1');
const PROXY = { HTTPS_PROXY: 'http://proxy:3128' };

const proxyOf = (url: URL | string, env: Record<string, string>, option?: string) =>
  chooseProxy(new URL(url), env, option)?.href ?? null;

describe('chooseProxy', () => {
  it.each<[URL, Record<string, string>, string | null]>([
    [API, {}, null],
    [API, PROXY, 'http://proxy:3128/'],
    [API, { HTTP_PROXY: 'http://proxy:3128' }, null],
    [PLAIN, { HTTP_PROXY: 'http://proxy:3128' }, 'http://proxy:3128/'],
    [PLAIN, PROXY, null],
    [API, { https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1' }, 'http://lower:1/'],
    [API, { ALL_PROXY: 'socks5://socks:1080' }, 'socks5://socks:1080'],
    [API, { ...PROXY, ALL_PROXY: 'socks5://socks' }, 'http://proxy:3128/'],
    [API, { HTTPS_PROXY: ' ' }, null],
    [API, { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128/'],
    [API, { HTTPS_PROXY: 'https://user:word@proxy' }, 'https://user:word@proxy/'],
  ])('%s with %j', (url, env, proxy) => expect(proxyOf(url, env)).toBe(proxy));

  it.each<[string, string, boolean]>([
    ['https://api.example.com', 'api.example.com', true],
    ['https://api.example.com', 'example.com', true],
    ['https://api.example.com', '.example.com', true],
    ['https://api.example.com', '*.example.com', true],
    ['https://notexample.com', 'example.com', false],
    ['https://api.example.com', 'other.org, API.Example.com', true],
    ['https://api.example.com', 'other.org api.example.com:443', true],
    ['https://api.example.com', 'api.example.com:8443', false],
    ['https://api.example.com:8443', 'api.example.com:8443', true],
    ['https://api.example.com', '*', true],
    ['https://api.example.com', '', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://[fd00::1]', 'fd00::1', true],
    ['https://[fd00::1]', '[fd00::1]', true],
  ])('%s is an exception of NO_PROXY="%s": %s', (url, list, isExcepted) => {
    expect(proxyOf(url, { ...PROXY, NO_PROXY: list })).toBe(isExcepted ? null : 'http://proxy:3128/');
    expect(proxyOf(url, { NO_PROXY: list }, 'http://given:1')).toBe(isExcepted ? null : 'http://given:1/');
  });

  it('variables never send what stays on this machine to a proxy; an option does', () => {
    const env = { HTTP_PROXY: 'http://proxy:3128', ALL_PROXY: 'http://proxy:3128' };
    for (const local of ['http://localhost:11434', 'http://127.0.0.1:1234', 'http://[::1]:1', 'http://a.localhost']) {
      expect(proxyOf(local, env)).toBeNull();
      expect(proxyOf(local, env, 'http://given:1')).toBe('http://given:1/');
    }
  });

  it('an empty option means none', () => expect(proxyOf(API, PROXY, '')).toBeNull());

  it.each(['ftp://proxy', 'http://', '://', 'http://user:secretword@', 'http://me:secretword%zz@proxy'])(
    'refuses "%s" without showing it',
    (text) => {
      const choose = () => chooseProxy(API, {}, text);
      expect(choose).toThrow(ConfigError);
      expect(choose).toThrow(/The option proxy is not the address of a proxy/);
      expect(choose).not.toThrow(/secretword/);
      expect(() => chooseProxy(API, { HTTPS_PROXY: text }, undefined)).toThrow(/^HTTPS_PROXY is not/);
    },
  );
});
