import { InvalidArgumentError } from 'commander';

/** Reads the value of a flag that names a TCP port; 0: a free one. */
export function parsePort(value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError('0 to 65535, please.');
  return port;
}
