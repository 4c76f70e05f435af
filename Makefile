BUILD = build
all:
	cmake -S . -B $(BUILD) -G Ninja
	cmake --build $(BUILD)
.PHONY: all
