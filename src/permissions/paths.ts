// Where a path stands: inside the workspace or not, protected or not. Pure: works on paths already made absolute.
import path from 'node:path';

/**
 * True where `target` is `root` or below it. Compares whole segments, so `/w/app-evil` is not below `/w/app`.
 * Contract: both absolute; `..` segments are resolved here, symbolic links are not.
 */
export function isInside(root: string, target: string): boolean {
  const relative = path.relative(root, target);
  return relative === '' || (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative));
}

/** Folders and files inside a workspace that configure what runs later. A write to them is never approved by a mode. */
const PROTECTED_FOLDERS = ['.git', '.turnwright', '.claude', '.qoder', '.vscode', '.idea', '.husky'];
const PROTECTED_FILES = [
  '.mcp.json',
  '.gitmodules',
  '.gitconfig',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.envrc',
  '.ripgreprc',
  '.bashrc',
  '.bash_profile',
  '.profile',
  '.zshrc',
  '.zprofile',
  '.zshenv',
];

/**
 * The protected folder or file that `target` names or lies in, or null. Only the part below a workspace root counts,
 * so that a workspace may itself lie under such a folder. Case is ignored, as some file systems do.
 */
export function protectedPart(roots: readonly string[], target: string): string | null {
  const root = roots.filter((candidate) => isInside(candidate, target)).sort((a, b) => b.length - a.length)[0];
  const below = root === undefined ? target : path.relative(root, target);
  const segments = below.split(/[\\/]+/).map((segment) => segment.toLowerCase());
  for (const segment of segments) if (PROTECTED_FOLDERS.includes(segment)) return segment;
  const name = segments.at(-1) ?? '';
  return PROTECTED_FILES.includes(name) ? name : null;
}
