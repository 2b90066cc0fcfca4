import { describe, expect, it } from 'vitest';
import { protectedPart } from '../../src/permissions/paths.js';
import { PROTECTED_FILES, PROTECTED_FOLDERS } from '../../src/permissions/protected-paths.js';
import { LEFT_OUT, PUBLISHED } from './corpus/published-names.js';

describe('protected names', () => {
  it.each(PUBLISHED)('have all of: $source', ({ names }) => {
    const missing = names.filter((name) => {
      const target = `/w/app/deep/${name.endsWith('/') ? `${name}x` : name}`;
      return protectedPart(['/w/app'], target) === null || protectedPart(['/w/app'], target.toUpperCase()) === null;
    });
    expect(missing).toEqual([]);
  });

  it.each(LEFT_OUT)('leave out $name: $why', ({ name }) => expect(protectedPart([], `/w/app/${name}`)).toBeNull());

  it('stand there once each, in the form they are looked up in', () => {
    for (const names of [PROTECTED_FILES, PROTECTED_FOLDERS]) {
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
      expect(
        names.filter((name) => name !== name.toLowerCase() || /^\/|\/$|\/.*\/.*\/|\s/.test(name) || name === ''),
      ).toEqual([]);
    }
  });

  it('of two parts are meant only together', () => {
    for (const target of ['/w/mise/config.toml', '/w/x/.config/lefthook.toml', '/w/lib/site-packages/a.pth'])
      expect(protectedPart(['/w'], target)).not.toBeNull();
    for (const target of ['/w/config.toml', '/w/mise/x/config.toml', '/w/site-packages/x/a.pth', '/w/.config/app.toml'])
      expect(protectedPart(['/w'], target)).toBeNull();
  });
});
