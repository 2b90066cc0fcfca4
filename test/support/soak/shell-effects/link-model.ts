// Where the links of the fixture led at a moment of a trace: the trace tells each that is made, moved and removed.
import path from 'node:path';

export interface LinkModel {
  /** The path with its links resolved; the last part stays a link unless `follow`. */
  resolve(target: string, follow: boolean): string;
  make(at: string, target: string): void;
  remove(at: string): void;
  move(from: string, to: string): void;
}

/** Links that lead to each other end somewhere. */
const MAX_STEPS = 60;

export function createLinkModel(start: ReadonlyMap<string, string>): LinkModel {
  const links = new Map(start);
  const resolve = (target: string, follow: boolean): string => {
    let steps = 0;
    let done = '/';
    let rest = target.split('/').filter((part) => part !== '' && part !== '.');
    for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
      const next = part === '..' ? path.dirname(done) : path.join(done, part);
      const link = links.get(next);
      const isLast = rest.length === 0;
      if (link === undefined || (isLast && !follow) || ++steps > MAX_STEPS) {
        done = next;
        continue;
      }
      rest = [...link.split('/').filter((each) => each !== '' && each !== '.'), ...rest];
      if (link.startsWith('/')) done = '/';
    }
    return done;
  };
  return {
    resolve,
    make: (at, target) => void links.set(at, target),
    remove: (at) => void links.delete(at),
    move(from, to) {
      for (const [at, target] of [...links]) {
        if (at !== from && !at.startsWith(`${from}/`)) continue;
        links.delete(at);
        links.set(to + at.slice(from.length), target);
      }
    },
  };
}
