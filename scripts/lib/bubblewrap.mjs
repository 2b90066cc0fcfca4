// Whether programs can be confined here, as the tests of the sandbox need it.
import { spawnSync } from 'node:child_process';

const TRIAL = ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'];

/** @returns null if bubblewrap works, else why not, in a few words */
export function whyNoBubblewrap() {
  if (process.platform !== 'linux') return `this is ${process.platform}`;
  const { error, status, stderr } = spawnSync('bwrap', TRIAL, { encoding: 'utf8' });
  if (error?.code === 'ENOENT') return 'bwrap is not installed (package bubblewrap)';
  if (error) return error.message;
  return status === 0 ? null : stderr.trim() || `bwrap ended with ${status}`;
}
