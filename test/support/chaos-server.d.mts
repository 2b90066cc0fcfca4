// Types of `chaos-server.mjs`.
export interface ChaosWire {
  send(message: object): void;
  raw(text: string): void;
  die(): void;
}

export function behave(
  kind: string,
  message: { readonly id?: unknown; readonly method?: string; readonly params?: unknown },
  wire: ChaosWire,
  state: { wasHere: boolean; hasGrown?: boolean },
): void;
