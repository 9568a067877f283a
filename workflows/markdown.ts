import { oneLine } from '../providers/one-line.ts';

/*
 * What is shown must never keep a workflow from going on: every function takes whatever another hand wrote into a
 * status.
 */

/** `**1** machine`, `**2** machines`. */
export function asCount(count: number, one: string, many: string): string {
  return `**${count}** ${count === 1 ? one : many}`;
}

/** Most characters of a text that comes from outside. */
const LONGEST = 1000;

/** A text as it is, where the Temporal UI renders Markdown and HTML: nothing of it is formatting, a link or a tag. */
export function asText(text: string | undefined): string {
  const line = oneLine(text ?? '');
  const short = line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
  return short.replaceAll(/[\\`*_[\]<>|~#]/g, String.raw`\$&`);
}

/** A name or a command as it is. */
export function asCode(text: string | undefined): string {
  return `\`${oneLine(text ?? '').replaceAll('`', '')}\``;
}

/** A moment as the Temporal UI writes it, to the second. */
export function asMoment(at: number | string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return asText(String(at));
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A list of facts; those without a value are left out. */
export function asFacts(facts: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `- **${name}:** ${value}`)
    .join('\n');
}

/** A link to the list of workflows, relative to the frame in which the UI shows details; it puts its namespace in. */
export function workflowsLink(words: string, query: string): string {
  return `[${words}](namespaces/{namespace}/workflows?query=${encodeURIComponent(query)})`;
}

/** The UI's frame is as high as its text less the outer margins: what it cuts off is an empty last paragraph. */
export function asDetails(paragraphs: readonly (string | undefined)[]): string {
  return [...paragraphs.filter((paragraph) => paragraph !== undefined), '\u00a0'].join('\n\n');
}
