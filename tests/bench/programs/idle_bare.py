"""The yardstick of idling: the same imports, a watchdog observer and a scheduler with one job, and nothing of ours at work."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from apscheduler.schedulers.background import BackgroundScheduler
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer


def main(config_home: Path, module: str) -> None:
    """Import ``module``, watch ``config_home`` and wait until stdin ends."""
    wanted = importlib.import_module("extractord.triggers.watching").WANTED
    importlib.import_module(module)
    observer = Observer()
    observer.schedule(FileSystemEventHandler(), str(config_home / "projects"), recursive=True, event_filter=wanted)
    observer.schedule(FileSystemEventHandler(), str(config_home / "sessions"), event_filter=wanted)
    observer.start()
    scheduler = BackgroundScheduler()
    scheduler.add_job(print, "interval", minutes=30)
    scheduler.start()
    print("ready", flush=True)
    sys.stdin.read()
    scheduler.shutdown()
    observer.stop()
    observer.join()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
