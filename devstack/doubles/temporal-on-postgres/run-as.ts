/**
 * Becomes another program under another user: PostgreSQL refuses to run as root.
 *
 *   node run-as.ts UID GID COMMAND [ARGUMENT...]
 */
const [uid, gid, command, ...args] = process.argv.slice(2);
if (uid === undefined || gid === undefined || command === undefined || process.execve === undefined) {
  console.error('Usage: node run-as.ts UID GID COMMAND [ARGUMENT...], where the system can replace a process');
  process.exit(2);
}
process.setgroups?.([]);
process.setgid?.(Number(gid));
process.setuid?.(Number(uid));
process.execve(command, [command, ...args], process.env);
