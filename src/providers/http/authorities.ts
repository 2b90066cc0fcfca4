// The certificate authorities that come with the runtime. Loaded where others are named beside them.
import tls from 'node:tls';

export function builtInAuthorities(): readonly string[] {
  return tls.rootCertificates;
}
