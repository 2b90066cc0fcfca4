// Which files git passes over when it takes in what it does not track: those that a .gitignore of the repository names. One
// rule: what is not told for sure is not ignored, so that a rule about it counts.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { compileGlob } from '../../util/glob-pattern.js';

interface Line {
  readonly isException: boolean;
  readonly onlyFolders: boolean;
  matches(below: string): boolean;
}

/**
 * Tells whether git ignores a file that it does not track.
 * Contract: never throws for what stands on the disk. What the user's own configuration ignores counts as not ignored.
 * @param top the folder that the repository begins at
 */
export function createIgnored(top: string, fs: Host['fs']): (file: string) => Promise<boolean> {
  const known = new Map<string, readonly Line[]>();
  const linesIn = async (folder: string): Promise<readonly Line[]> => {
    const found = known.get(folder) ?? readLines(await textOf(path.join(folder, '.gitignore'), fs));
    known.set(folder, found);
    return found;
  };
  return async (file) => {
    const parts = path.relative(top, file).split(path.sep);
    // A folder that is ignored is not gone into, whatever is said of what lies in it.
    for (let depth = 1; depth <= parts.length; depth++) {
      let isIgnored = false;
      for (let above = 0; above < depth; above++)
        for (const line of await linesIn(path.join(top, ...parts.slice(0, above))))
          if ((depth < parts.length || !line.onlyFolders) && line.matches(parts.slice(above, depth).join('/')))
            isIgnored = !line.isException;
      if (isIgnored) return true;
    }
    return false;
  };
}

function readLines(text: string): readonly Line[] {
  return text.split(/\r?\n/).flatMap((written) => {
    const isException = written.startsWith('!');
    const pattern = written.slice(isException ? 1 : 0).replace(/\s+$/, '');
    if (pattern === '' || pattern.startsWith('#')) return [];
    const plain = pattern.replace(/\/$/, '').replace(/^\//, '');
    const isPlaced = pattern.slice(0, -1).includes('/');
    // Braces are letters to git, and a sign behind a backslash is one: who means that is not told here.
    const glob = /[\\{}]/.test(plain) ? null : compileGlob(isPlaced ? plain : `**/${plain}`);
    const matches = glob === null ? () => isException : (below: string) => glob.matches(below);
    return [{ isException, onlyFolders: pattern.endsWith('/'), matches }];
  });
}

async function textOf(file: string, fs: Host['fs']): Promise<string> {
  try {
    return new TextDecoder().decode(await fs.readFile(file));
  } catch (error) {
    if (!isFileError(error)) throw error;
    return '';
  }
}
