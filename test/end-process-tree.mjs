import { readdirSync, readFileSync } from 'node:fs';

/** Ends a process and all that it started, whatever session they are in. Linux only; a process whose parent is gone is not found. */
export function endProcessTree(pid) {
  for (const each of [pid, ...descendantsOf(pid)]) {
    try {
      process.kill(each, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

function descendantsOf(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [pid];
  // The list grows while it is read: children of children follow.
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found.slice(1);
}

/** Undefined: not a process, or it has ended. */
function parentOf(name) {
  if (!/^\d+$/.test(name)) return undefined;
  try {
    // "pid (command) state parent …": the command may hold spaces and brackets.
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
