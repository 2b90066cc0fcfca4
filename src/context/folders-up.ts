import path from 'node:path';

/** An absolute folder and all above it, the nearest first. */
export function foldersUpFrom(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}
