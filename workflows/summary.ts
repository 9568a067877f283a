/** Temporal takes 400 bytes as a summary; what surrounds the text in its payload has its part of that. */
const MOST_BYTES = 300;
/** Most bytes of a character in UTF-8. */
const CHARACTER_BYTES = 4;

/** One line for the Temporal UI, short enough to be taken whatever stands in it: a summary that is refused blocks a task. */
export function asSummary(text: string): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += character < '\u0080' ? 1 : CHARACTER_BYTES;
    if (bytes > MOST_BYTES) return `${text.slice(0, end)}…`;
    end += character.length;
  }
  return text;
}

/** What a timer says: until when nothing happens by itself, and why. The day stands where it is another one. */
export function timerSummary(at: number, why: string, now: number): string {
  const day = new Date(at).toISOString().slice(0, 10);
  const time = new Date(at).toISOString().slice(11, 19);
  const isToday = day === new Date(now).toISOString().slice(0, 10);
  return asSummary(`until ${isToday ? '' : `${day} `}${time} UTC: ${why}`);
}
