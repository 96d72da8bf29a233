// The list of all subjects of a type, kept up to date.
import { useEffect, useState } from "preact/hooks";
import { least, type Progress } from "./progress";
import { Problem, request, url, type Subject, type Subjects } from "./api";

/** The subjects that are listed. Its progress is the least of all pages. */
export interface Listed extends Progress {
  subjects: Subject[];
  whole: boolean;
  more: boolean;
  problem?: Problem;
}

const pageSize = "1000",
  maxPages = 100; // 100,000 series

/**
 * readSubjects reads the list page by page. A page counts series, so a subject can begin on one page
 * and end on the next.
 */
async function readSubjects(
  type: string,
  signal: AbortSignal,
  page: (listed: Listed) => void,
): Promise<Listed> {
  const found = new Map<string, Subject>();
  let cursor: string | undefined,
    progress: Progress = {};
  for (let n = 0; n < maxPages; n++) {
    const body = (await request(url([type], { limit: pageSize, cursor }), signal)).body as Subjects;
    const { subjects, next } = body;
    progress = least(progress, body);
    for (const s of subjects) {
      const begun = found.get(s.subject);
      found.set(s.subject, begun ? { ...begun, series: [...begun.series, ...s.series] } : s);
    }
    if (!next) return { ...progress, subjects: [...found.values()], whole: true, more: false };
    cursor = next;
    page({ ...progress, subjects: [...found.values()], whole: false, more: false });
  }
  return { ...progress, subjects: [...found.values()], whole: true, more: true };
}

/**
 * useSubjects reads all subjects of a type, and again every `every` milliseconds while the page is
 * visible.
 */
export function useSubjects(type: string, every = 30_000): Listed {
  const [listed, setListed] = useState<Listed>({ subjects: [], whole: false, more: false });
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0,
      first = true;
    const read = async () => {
      let pause = every;
      try {
        if (first || !document.hidden) {
          setListed(
            await readSubjects(type, stop.signal, (page) => {
              if (first) setListed(page);
            }),
          );
          first = false;
        }
      } catch (cause) {
        if (stop.signal.aborted) return;
        const problem = cause instanceof Problem ? cause : new Problem(-1, String(cause));
        setListed((old) => ({ ...old, problem }));
        pause = 5000;
      }
      if (!stop.signal.aborted) timer = window.setTimeout(read, pause);
    };
    read();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [type, every]);
  return listed;
}
