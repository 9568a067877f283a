import colors from 'picocolors';
import type { Progress, ProgressTask } from '../progress.ts';

/** Without a terminal, work under way says so this often, in milliseconds. */
const REPEAT_MS = 15_000;
const REFRESH_MS = 200;

export interface TerminalOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Progress for people: in a terminal a line that lives, elsewhere a line at the start, every 15 s and at the end. */
export function terminalProgress(output: TerminalOutput = process.stdout): Progress {
  return {
    note: (text) => void output.write(`${text}\n`),
    task: (label, estimateSeconds) => startTask(output, label, estimateSeconds),
  };
}

function startTask(output: TerminalOutput, label: string, estimateSeconds: number | undefined): ProgressTask {
  const startedAt = Date.now();
  let detail = '';
  const elapsed = () => (Date.now() - startedAt) / 1000;
  const line = () => `${label}: ${taskTime(elapsed(), estimateSeconds)}${detail && `  ${colors.dim(detail)}`}`;
  const live = output.isTTY === true;
  const show = () => void output.write(live ? `\r\u{1b}[2K${cut(line(), output.columns)}` : `${line()}\n`);
  if (!live) output.write(`${label}${estimateSeconds === undefined ? '' : `, about ${duration(estimateSeconds)}`}…\n`);
  const timer = setInterval(show, live ? REFRESH_MS : REPEAT_MS);
  timer.unref();
  const end = (mark: string, text: string) => {
    clearInterval(timer);
    output.write(
      `${live ? '\r\u{1b}[2K' : ''}${mark} ${label} ${colors.dim(duration(elapsed()))}${text && `: ${text}`}\n`,
    );
  };
  return {
    detail: (text) => {
      detail = text;
    },
    done: (text = '') => end(colors.green('✓'), text),
    failed: (text = '') => end(colors.red('✗'), text),
  };
}

/** `0:42 of about 2:45`; what takes longer than estimated says so. */
function taskTime(seconds: number, estimateSeconds: number | undefined): string {
  if (estimateSeconds === undefined) return duration(seconds);
  const of = `${duration(seconds)} of about ${duration(estimateSeconds)}`;
  return seconds > estimateSeconds * 1.2 ? `${of}, longer than usual` : of;
}

/** `m:ss`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** A live line must not wrap: the next one would not overwrite it. Escape codes count little; the details may go. */
function cut(text: string, columns = 80): string {
  return text.length < columns ? text : `${text.slice(0, columns - 2)}…${colors.reset('')}`;
}
