import type { Life, Next } from './life.ts';

/** What the Temporal UI shows of a machine: Markdown that answers "why is it where it is". */
export function describeLife(life: Life, next: Next): string {
  const { status } = life;
  const lines = [`**${status.phase ?? 'New'}**`];
  if (status.error !== undefined) lines.push(`Failed: ${status.error.reason}: ${status.error.message}`);
  if (status.waiting !== undefined) {
    const { step, reason, message, since, nextTry } = status.waiting;
    lines.push(`Waits in step **${step}** since ${since}: ${reason}`, message);
    lines.push(nextTry === undefined ? 'Goes on when something changes.' : `Next try: ${nextTry}`);
  }
  if (status.instance !== undefined) lines.push(`Instance \`${status.instance.id}\` (${status.instance.state})`);
  if (status.nodeRef !== undefined) lines.push(`Node \`${status.nodeRef.name}\``);
  if (next !== 'end' && next !== 'again' && next.at !== undefined) {
    lines.push(`Next look without a change: ${new Date(next.at).toISOString()}`);
  }
  return lines.join('\n\n');
}
