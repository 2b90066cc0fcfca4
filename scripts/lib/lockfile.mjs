// Reads package-lock.json.

/**
 * Optional packages that another package wants but the lockfile lacks: `npm ci` refuses such a lockfile.
 * @returns for each its place in the lockfile, name, exact version, and the entry of the package that wants it
 */
export function missingOptional(lock) {
  const missing = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
      if (!places.some((place) => lock.packages[place]))
        missing.push({ path: places[1], name, version, wantedBy: entry });
    }
  }
  return missing;
}
