// Modules that are loaded when they are first needed, in the middle of what is done again and again.

/**
 * Loads at the first call, and gives the very same promise from then on. To ask for a module that is loaded already costs
 * a turn 10 to 20 us each time.
 * Contract: what failed is tried again.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}
