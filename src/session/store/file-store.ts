// The folder of transcripts as a session store: for programs that move sessions between places, and want this one too.
// What does the work is loaded with the first call.

import { DOORS } from '../features.js';
import type { FileSessionStore, FileSessionStoreOptions } from './file-store-access.js';

/**
 * Sessions in the layout of transcripts. An append takes the session as a running one does: if the session is in use,
 * it rejects with the `SessionError` `session_in_use`. Lines that cannot be read are left out of `load`.
 */
export function createFileStore(options: FileSessionStoreOptions = {}): FileSessionStore {
  let opening: Promise<FileSessionStore> | null = null;
  const store = (): Promise<FileSessionStore> => {
    opening ??= DOORS.store().then(({ openFileStore }) => openFileStore(options));
    return opening;
  };
  return {
    append: async (key, entries) => (await store()).append(key, entries),
    load: async (key) => (await store()).load(key),
    listSessions: async (projectKey) => (await store()).listSessions(projectKey),
    delete: async (key) => (await store()).delete(key),
    listSubkeys: async (key) => (await store()).listSubkeys(key),
  };
}
