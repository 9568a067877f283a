import type { PointHook } from '../../devstack/doubles/fault-proxy/fault-proxy.ts';
import { pointName } from '../../devstack/doubles/fault-proxy/request-point.ts';
import type { ProxiedWorker } from './proxied-worker.ts';

/**
 * Stops the worker that reads the user-data once more after the launch was frozen in the status, which is what it does right
 * before it calls the cloud, and has it go on later: it finds the answer of that read then.
 * @returns whether it happened yet
 */
export function standStill(workers: readonly ProxiedWorker[], ms: number): () => boolean {
  let isFrozen = false;
  let isDone = false;
  for (const worker of workers) {
    const hook: PointHook = async (point, phase) => {
      const name = pointName(point);
      if (phase === 'after-effect' && name.startsWith('PATCH machines/status ')) isFrozen = true;
      const pid = worker.started()?.pid;
      if (!isFrozen || isDone || pid === undefined) return undefined;
      if (phase !== 'after-effect' || !name.startsWith('GET secrets ')) return undefined;
      isDone = true;
      process.kill(pid, 'SIGSTOP');
      setTimeout(() => {
        if (worker.started()?.pid === pid) process.kill(pid, 'SIGCONT');
      }, ms);
      return undefined;
    };
    worker.kube.onPoint(hook);
  }
  return () => isDone;
}
