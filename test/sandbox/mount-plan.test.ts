// What is seen at a path where several entries meet.
import { describe, expect, it } from 'vitest';
import { bubblewrapArguments } from '../../src/sandbox/linux.js';
import { kindAt, type Mount, type MountKind, orderMounts } from '../../src/sandbox/mount-plan.js';

const at = (path: string, kind: MountKind, isFolder = true): Mount => ({ path, kind, isFolder });
const plan = (...mounts: Mount[]) => orderMounts(mounts, ['/w']).map(({ path, kind }) => `${kind} ${path}`);

describe('the order of mounts', () => {
  it('goes from the top down, whatever order they were named in', () => {
    expect(plan(at('/w/a/b', 'read'), at('/w', 'write'), at('/tmp', 'tmp'), at('/w/a', 'pin'))).toEqual([
      'tmp /tmp',
      'write /w',
      'pin /w/a',
      'read /w/a/b',
    ]);
  });

  it('keeps the stronger of two at one path', () => {
    expect(plan(at('/w', 'write'), at('/w/x', 'write'), at('/w/x', 'read'))).toEqual(['write /w', 'read /w/x']);
    expect(plan(at('/h/x', 'open'), at('/h/x', 'hidden'))).toEqual(['hidden /h/x']);
    expect(plan(at('/w', 'read'), at('/w', 'write'))).toEqual([]);
  });

  it('leaves out what changes nothing', () => {
    expect(plan(at('/etc', 'read'), at('/w', 'write'), at('/w/sub', 'write'), at('/x', 'open'))).toEqual(['write /w']);
    expect(plan(at('/h', 'hidden'), at('/h/x', 'hidden'), at('/h/y', 'read'))).toEqual(['hidden /h']);
  });

  it('opens again what lies in something hidden, as far as it was open', () => {
    expect(plan(at('/', 'hidden'), at('/w', 'write'), at('/h', 'open'), at('/w/x', 'open'))).toEqual([
      'hidden /',
      'read /h',
      'write /w',
    ]);
    expect(plan(at('/w', 'hidden'), at('/w/x', 'open'))).toEqual(['hidden /w', 'write /w/x']);
  });

  it('tells what holds at a path', () => {
    const mounts = orderMounts([at('/w', 'write'), at('/w/.git', 'pin'), at('/w/.git/hooks', 'read')], ['/w']);
    expect(['/w/a', '/w/.git/x', '/w/.git/hooks/y', '/wx', '/etc'].map((target) => kindAt(mounts, target))).toEqual([
      'write',
      'pin',
      'read',
      'read',
      'read',
    ]);
  });
});

describe('the words for bubblewrap', () => {
  const folder = { path: '/s', tmp: '/s/tmp', noFile: '/s/no-file', noFolder: '/s/no-folder' };
  const words = (mounts: Mount[], more: { isNested?: boolean; pid?: number } = {}) =>
    bubblewrapArguments({
      bwrap: '/usr/bin/bwrap',
      mounts,
      folder,
      cwd: '/w',
      isNested: more.isNested ?? false,
      filter: '/s/filter',
      network: more.pid === undefined ? null : { nsenter: '/usr/bin/nsenter', pid: more.pid },
      innerEnv: { LD_PRELOAD: '/w/x.so' },
    }).join(' ');

  it('take everything away first', () => {
    expect(words([])).toBe(
      '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net --new-session ' +
        '--die-with-parent --cap-drop ALL --seccomp 9 --hostname sandbox --ro-bind / / --dev /dev --proc /proc ' +
        '--remount-ro /proc --setenv LD_PRELOAD /w/x.so --chdir /w',
    );
  });

  it('do without a /proc of their own if that is asked for', () => {
    expect(words([], { isNested: true })).not.toContain('--proc');
  });

  it('make no network if one is joined', () => {
    expect(words([], { pid: 5 })).not.toContain('--unshare-net');
  });

  it('show nothing but what is opened if all is hidden', () => {
    expect(words([at('/', 'hidden'), at('/usr', 'read')])).toContain(
      '--tmpfs / --dev /dev --proc /proc --remount-ro /proc --ro-bind /usr /usr --remount-ro / ',
    );
  });

  it('hide a folder so that what is opened in it has a place', () => {
    expect(words([at('/h', 'hidden'), at('/f', 'hidden', false), at('/g', 'hidden'), at('/g/x', 'read')])).toContain(
      '--ro-bind /s/no-folder /h --ro-bind /s/no-file /f --perms 0111 --tmpfs /g --ro-bind /g/x /g/x --remount-ro /g ',
    );
  });
});
