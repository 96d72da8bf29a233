// What a reader takes away from a chart: the figures as CSV, the picture, and the commands that return them.
import { useState } from "preact/hooks";
import { address, shared } from "./access";
import { Problem } from "./api";
import { curlCommand, tidemarkCommand, type Asked } from "./command";
import { Notice } from "./parts";
import { color } from "./plot";

interface Props {
  path: string; // of the request of the chart
  name: string; // of the files, without an extension
  asked: Asked;
}

/** TakeAway offers the chart that is shown. Its CSV has every figure, in full. */
export function TakeAway({ path, name, asked }: Props) {
  const [problem, setProblem] = useState<Problem>();
  const csv = async () => {
    setProblem(undefined);
    try {
      save(await readCSV(path), name + ".csv");
    } catch (cause) {
      setProblem(cause instanceof Problem ? cause : new Problem(-1, String(cause)));
    }
  };
  const png = (button: HTMLElement) => {
    const drawn = button.closest("section")!.querySelector("canvas");
    if (drawn) onPaper(drawn).toBlob((blob) => blob && save(blob, name + ".png"));
  };
  return (
    <div class="bar take">
      <button onClick={csv}>CSV</button>
      <button onClick={(e) => png(e.currentTarget)}>PNG</button>
      {!shared && (
        <details>
          <summary>as a command</summary>
          <code>{tidemarkCommand(asked)}</code>
          <code>{curlCommand(location.origin + path)}</code>
        </details>
      )}
      <Notice problem={problem} waiting={false} />
    </div>
  );
}

/** onPaper returns a copy of a plot on the color of the page: the plot itself is transparent. */
function onPaper(plot: HTMLCanvasElement): HTMLCanvasElement {
  const copy = document.createElement("canvas");
  copy.width = plot.width;
  copy.height = plot.height;
  const ctx = copy.getContext("2d")!;
  ctx.fillStyle = color("--card");
  ctx.fillRect(0, 0, copy.width, copy.height);
  ctx.drawImage(plot, 0, 0);
  return copy;
}

async function readCSV(path: string): Promise<Blob> {
  const [at, headers] = address(path);
  const response = await fetch(at, { headers: { ...headers, Accept: "text/csv" } });
  if (!response.ok)
    throw new Problem(response.status, `The API returned status ${response.status}: no CSV was saved.`);
  return response.blob();
}

function save(blob: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replaceAll(/[^\w.-]+/g, "_");
  link.click();
  URL.revokeObjectURL(link.href);
}
