// A variable as files of servers name it.

/** `${NAME}` or `${NAME:-otherwise}`. */
export function variable(name: string, otherwise?: string): string {
  return `\${${name}${otherwise === undefined ? '' : `:-${otherwise}`}}`;
}
