// The filter of system calls, run by a small machine of our own: what it lets through on each architecture.
import { describe, expect, it } from 'vitest';
import { seccompFilter } from '../../src/sandbox/sandbox-folder.js';

const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;
const ALLOWED = 0x7fff0000;
const EPERM = 0x50001;
const ENOSYS = 0x50026;
const KILLED = 0x80000000;

/** Classic BPF, as far as the filter uses it. */
function run(filter: Uint8Array, architecture: number, number: number, args: readonly number[] = []): number {
  const code = new DataView(filter.buffer);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, architecture, true);
  for (const [at, value] of args.entries()) data.setBigUint64(16 + at * 8, BigInt(value), true);
  let word = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const operation = code.getUint16(at * 8, true);
    const value = code.getUint32(at * 8 + 4, true);
    if (operation === 0x06) return value;
    if (operation === 0x20) word = data.getUint32(value, true);
    else {
      const isTrue = operation === 0x15 ? word === value : operation === 0x35 ? word >= value : (word & value) !== 0;
      at += code.getUint8(at * 8 + (isTrue ? 2 : 3));
    }
  }
  throw new Error('The filter ended without an answer.');
}

const plain = seccompFilter(false);

describe('the filter', () => {
  it.each([
    ['read on x86-64', X64, 0, []],
    ['clone of a process', X64, 56, [17]],
    ['ioctl of a terminal', X64, 16, [0, 0x5401]],
    ['a socket of the internet', X64, 41, [2, 1, 0]],
    ['a socket of IPv6', X64, 41, [10, 1, 0]],
    ['a pair of sockets', X64, 53, [1, 1, 0]],
    ['chmod', X64, 90, [0, 0o2755]],
    ['open without a mode', X64, 2, [0, 0, 0o7777]],
    ['openat of a new file', X64, 257, [0, 0, 0x40, 0o755]],
    ['read on arm64', ARM64, 63, []],
    ['fchmodat on arm64', ARM64, 53, [0, 0, 0o755]],
    ['a socket on arm64', ARM64, 198, [2, 1, 0]],
    ['clone on arm64', ARM64, 220, [17]],
  ] as const)('lets %s through', (_name, architecture, number, args) => {
    expect(run(plain, architecture, number, args)).toBe(ALLOWED);
  });

  it.each([
    ['mount', X64, 165, [], EPERM],
    ['ptrace', X64, 101, [], EPERM],
    ['process_vm_readv', X64, 310, [], EPERM],
    ['process_vm_writev', X64, 311, [], EPERM],
    ['kcmp', X64, 312, [], EPERM],
    ['pidfd_getfd', X64, 438, [], EPERM],
    ['ptrace on arm64', ARM64, 117, [], EPERM],
    ['process_vm_writev on arm64', ARM64, 271, [], EPERM],
    ['pidfd_getfd on arm64', ARM64, 438, [], EPERM],
    ['unshare', X64, 272, [], EPERM],
    ['setns', X64, 308, [], EPERM],
    ['clone with a namespace', X64, 56, [0x10000000 | 17], EPERM],
    ['clone with a namespace of mounts', X64, 56, [0x20000], EPERM],
    ['clone3', X64, 435, [], ENOSYS],
    ['io_uring_setup', X64, 425, [], ENOSYS],
    ['keyctl', X64, 250, [], EPERM],
    ['bpf', X64, 321, [], EPERM],
    ...([90, 91, 85, 133] as const).map(
      (number) => [`a set-user-ID bit: ${number}`, X64, number, [0, 0o4755], EPERM] as const,
    ),
    ...([268, 259, 452] as const).map(
      (number) => [`such a bit: ${number}`, X64, number, [0, 0, 0o4755], EPERM] as const,
    ),
    ['open of a file with such a bit', X64, 2, [0, 0x41, 0o4755], EPERM],
    ['openat of a file with such a bit', X64, 257, [0, 0, 0x40, 0o4755], EPERM],
    ['openat of a file without a name with such a bit', X64, 257, [0, 0, 0x410001, 0o4755], EPERM],
    ['openat2', X64, 437, [], ENOSYS],
    ['fchmod with such a bit on arm64', ARM64, 52, [0, 0o4755], EPERM],
    ['fchmodat2 with such a bit on arm64', ARM64, 452, [0, 0, 0o4755], EPERM],
    ['openat with such a bit on arm64', ARM64, 56, [0, 0, 0x40, 0o4755], EPERM],
    ['TIOCSTI', X64, 16, [0, 0x5412], EPERM],
    ['TIOCLINUX', X64, 16, [0, 0x541c], EPERM],
    ['TIOCSTI with more bits than the kernel takes', X64, 16, [0, 0x1_0000_5412], EPERM],
    ['a unix socket', X64, 41, [1, 1, 0], EPERM],
    ['a socket to the machine below', X64, 41, [40, 1, 0], EPERM],
    ['a socket of packets', X64, 41, [17, 3, 0], EPERM],
    ['the other numbering', X64, 0x40000000 + 41, [1], ENOSYS],
    ['mount on arm64', ARM64, 40, [], EPERM],
    ['unshare on arm64', ARM64, 97, [], EPERM],
    ['a unix socket on arm64', ARM64, 198, [1, 1, 0], EPERM],
    ['clone3 on arm64', ARM64, 435, [], ENOSYS],
    ['any call of 32-bit programs', 0x40000003, 1, [], KILLED],
    ['any call of an architecture that is not known', 0xc00000f3, 63, [], KILLED],
  ] as const)('does not let %s through', (_name, architecture, number, args, answer) => {
    expect(run(plain, architecture, number, args)).toBe(answer);
  });

  it('lets unix sockets through where it should, and nothing more', () => {
    const open = seccompFilter(true);
    expect(run(open, X64, 41, [1, 1, 0])).toBe(ALLOWED);
    expect(run(open, ARM64, 198, [1, 1, 0])).toBe(ALLOWED);
    expect(run(open, X64, 41, [40, 1, 0])).toBe(EPERM);
  });

  it('does not mistake the numbers of one architecture for those of another', () => {
    expect(run(plain, ARM64, 165, [])).toBe(ALLOWED); // getrusage there, mount on x86-64
    expect(run(plain, X64, 40, [])).toBe(ALLOWED); // sendfile there, mount on arm64
  });
});
