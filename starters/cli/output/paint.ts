import { styleText } from 'node:util';

/** Colours where stdout is a terminal; Node honours NO_COLOR, FORCE_COLOR and TERM. */
export function paint(style: 'green' | 'red' | 'yellow' | 'bold' | 'dim', text: string): string {
  return text === '' ? '' : styleText(style, text, { stream: process.stdout });
}

/** A machine's phase in the colour of how well it is. */
export function paintPhase(phase: string): string {
  if (phase === 'Running') return paint('green', phase);
  return paint(phase === 'Failed' ? 'red' : 'yellow', phase);
}

/** `True`, `False` or `Unknown`. */
export function paintStatus(status: string): string {
  if (status === 'True') return paint('green', status);
  return paint(status === 'False' ? 'red' : 'yellow', status);
}
